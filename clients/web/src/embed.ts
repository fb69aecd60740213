/** Opens a screen of the control plane in a dialog of the host's own page, already signed in. */

export interface EmbedSession {
  /** As `POST /v1/embed/sessions` answers it; other fields are not looked at. */
  readonly url: string;
}

export interface EmbedError {
  /** The screen's own, or `session_failed`: `fetchSession` gave none. */
  readonly code: string;
  readonly message: string;
}

export interface EmbedOptions {
  /** Asks your own server, which holds the key. Called once for each opening: a session is good for one. */
  readonly fetchSession: () => Promise<EmbedSession> | EmbedSession;
  readonly onReady?: () => void;
  readonly onSaved?: (saved: { readonly campaign_id: string }) => void;
  readonly onClose?: () => void;
  readonly onError?: (error: EmbedError) => void;
}

export interface Embed {
  close(): void;
}

/** Answers at once; never throws. What the frame says is believed only from its own window and origin. */
export function openEmbed(options: EmbedOptions): Embed {
  const dialog = document.createElement("dialog");
  const frame = document.createElement("iframe");
  let origin: string | undefined;
  let open = true;

  const close = (): void => {
    if (!open) return;
    open = false;
    removeEventListener("message", hear);
    dialog.close();
    dialog.remove();
    options.onClose?.();
  };
  const fail = (code: string, message: string): void => options.onError?.({ code, message });
  const hear = ({ source, origin: from, data }: MessageEvent): void => {
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
  // What is longer scrolls inside, where the screen keeps its Close button in sight.
  const maxBlockSize = "95dvh";
  Object.assign(frame.style, { border: "0", inlineSize: "100%", blockSize: "80vh", maxBlockSize, display: "block" });
  Object.assign(dialog.style, { padding: "0", border: "0", inlineSize: "min(60rem, 100vw)", maxBlockSize, overflow: "hidden" });
  // Escape closes the dialog by itself.
  dialog.addEventListener("close", close);
  addEventListener("message", hear);
  document.body.append(dialog);
  dialog.showModal();
  void begin();
  return { close };
}
