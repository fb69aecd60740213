/** Opens a dashboard page in a dialog of the host's own page, already signed in. */

export interface EmbedSession {
  /** From the response of `POST /v1/embed/sessions`; other fields are ignored. */
  readonly url: string;
}

export interface EmbedError {
  /** A code of the dashboard page, or `session_failed` if `fetchSession` failed. */
  readonly code: string;
  readonly message: string;
}

export interface EmbedOptions {
  /** Requests a session from your own server, which has the key. Called at each opening, because a session can be used once. */
  readonly fetchSession: () => Promise<EmbedSession> | EmbedSession;
  readonly onReady?: () => void;
  readonly onSaved?: (saved: { readonly campaign_id: string }) => void;
  readonly onClose?: () => void;
  readonly onError?: (error: EmbedError) => void;
}

export interface Embed {
  close(): void;
}

/** Returns before the page has loaded, and never throws. Accepts messages only from the window and the origin of the frame. */
export function openEmbed(options: EmbedOptions): Embed {
  const dialog = document.createElement("dialog");
  const frame = document.createElement("iframe");
  let origin: string | undefined;
  let open = true;

  const close = (): void => {
    if (!open) return;
    open = false;
    removeEventListener("message", receive);
    dialog.close();
    dialog.remove();
    options.onClose?.();
  };
  const fail = (code: string, message: string): void => options.onError?.({ code, message });
  const receive = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== frame.contentWindow || from !== origin) return;
    switch (data?.type) {
      case "ready":
        return options.onReady?.();
      case "resize":
        if (data.height > 0) frame.style.blockSize = `${Math.ceil(data.height)}px`;
        return;
      case "saved":
        return options.onSaved?.({ campaign_id: data.campaign_id });
      case "error":
        return fail(data.code, data.message);
      case "closed":
        return close();
    }
  };
  const begin = async (): Promise<void> => {
    try {
      const { url } = await options.fetchSession();
      if (!open) return;
      origin = new URL(url).origin;
      frame.src = url;
      dialog.append(frame);
    } catch (fault) {
      fail("session_failed", `${fault}`);
      close();
    }
  };

  frame.title = "Campaign";
  frame.allow = "clipboard-write";
  // Longer content scrolls inside the frame, whose Close button stays visible.
  const maxBlockSize = "95dvh";
  Object.assign(frame.style, { border: "0", inlineSize: "100%", blockSize: "80vh", maxBlockSize, display: "block" });
  Object.assign(dialog.style, { padding: "0", border: "0", inlineSize: "min(60rem, 100vw)", maxBlockSize, overflow: "hidden" });
  // Escape closes the dialog by itself.
  dialog.addEventListener("close", close);
  addEventListener("message", receive);
  document.body.append(dialog);
  dialog.showModal();
  void begin();
  return { close };
}
