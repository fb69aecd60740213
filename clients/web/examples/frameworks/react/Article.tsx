import type {} from "@placard/service-ads/react";
import { useState } from "react";

export function Article() {
  const [section, setSection] = useState("sports");
  const [status, setStatus] = useState("loading");
  return (
    <main>
      <h1>News in React</h1>
      <service-ad
        slot-id="banner"
        width={300}
        height={250}
        kv-section={section}
        onad-impression={({ detail }) => setStatus(`shown: ${detail.ad.format}`)}
        onad-empty={() => setStatus("no ad")}
        onad-error={({ detail }) => setStatus(detail.error.message)}
      >
        <a href="/subscribe">Read without ads</a>
      </service-ad>
      <output>{status}</output>
      <button onClick={() => setSection("culture")}>Culture</button>
    </main>
  );
}
