import "../start.ts";
import { createRoot } from "react-dom/client";
import { Article } from "./Article.tsx";

createRoot(document.getElementById("app")!).render(<Article />);
