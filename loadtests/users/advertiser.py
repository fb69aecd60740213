"""An advertiser in the dashboard: signs in, and opens the pages of campaigns and reports."""

from locust import task
from locust.exception import StopUser

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo

_SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


class Advertiser(PacedUser):
    """A page each two seconds."""

    host = demo()["control_url"]
    rate_s = 0.5

    def on_start(self) -> None:
        super().on_start()
        owner = demo()["owner"]
        form = {"email": owner["email"], "password": owner["password"]}
        with self.client.post(
            "/sign-in",
            data=form,
            headers=_SAME_ORIGIN,
            name="/sign-in",
            allow_redirects=False,
            catch_response=True,
        ) as answer:
            if answer.status_code == 429:
                answer.success()  # sign-ins of one person are limited; this user stays away
            elif answer.status_code == 303:
                answer.success()
                return
            else:
                answer.failure(f"sign-in answered {answer.status_code}")
        raise StopUser

    @task(2)
    def open_campaigns(self) -> None:
        self._open("/live/campaigns")

    @task(1)
    def open_a_report(self) -> None:
        self._open("/live/reports")

    @task(1)
    def open_the_overview(self) -> None:
        self._open("/live")

    def _open(self, path: str) -> None:
        with self.client.get(path, name=f"page {path}", catch_response=True) as answer:
            if answer.status_code == 429:
                answer.success()
            elif answer.status_code != 200 or "/sign-in" in answer.url:
                answer.failure(f"{path} answered {answer.status_code} at {answer.url}")
