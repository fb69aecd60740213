"""Every kind of mail has a row on the page where users choose their mails."""

from collections import Counter

from control.api.mail.kinds import MailKind
from control.identity.own_data.mail_topics import MAIL_TOPICS, OptionalMail, WeeklyMail


def test_every_kind_of_mail_has_one_topic() -> None:
    assert Counter(kind for one in MAIL_TOPICS for kind in one.kinds) == Counter(MailKind)


def test_every_mail_that_may_be_refused_is_offered_by_a_topic_of_that_kind_alone() -> None:
    offered = {one.option.value: one.kinds for one in MAIL_TOPICS if one.option}

    assert offered == {one.value: (MailKind(one),) for one in OptionalMail}
    assert set(WeeklyMail) <= set(OptionalMail)


def test_a_topic_states_why_it_cannot_be_refused() -> None:
    assert all(bool(one.reason) != bool(one.option) for one in MAIL_TOPICS)
