// The page: views, theme, files, and messages about failures.

import { h } from "./dom";
import { Engine } from "./engine";
import { FetchPage } from "./fetch/page";
import { Pictures } from "./fetch/pictures";
import type { Words } from "./protocol";
import { State } from "./state";
import { type Page, type View, wordsOf } from "./view";

const VIEWS: [string, string][] = [
  ["fetch", "Fetch"],
  ["area", "Area"],
  ["kernel", "Kernel"],
  ["txd", "TXD"],
];

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element;
}

/** Dark or light: what the reader chose here, else what the system says. */
function theme(): "dark" | "light" {
  const chosen = new URLSearchParams(location.search).get("theme") ?? stored();
  if (chosen === "dark" || chosen === "light") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Some pages may not store anything. */
function stored(): string | null {
  try {
    return localStorage.getItem("texunit-theme");
  } catch {
    return null;
  }
}

class App {
  private readonly state = new State();
  private readonly engine = new Engine();
  private readonly pictures = new Pictures(this.engine);
  private readonly views = new Map<string, View>();
  private readonly main = find("main");
  private readonly banner = find("banner");
  private readonly toast = find("toast");
  private readonly embed = new URLSearchParams(location.search).get("embed");
  private words: Words | null = null;
  private toastTimer = 0;

  async start(): Promise<void> {
    this.setTheme(theme());
    if (this.embed) document.documentElement.dataset.embed = this.embed;
    this.engine.onDeath = (message, restarted) => this.died(message, restarted);
    this.engine.onRestart = () => this.restarted();
    this.navigation();
    this.dropping();
    this.state.listen((changed, from) => void this.changed(changed, from));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(theme()));
    await this.begin();
  }

  private async begin(): Promise<void> {
    try {
      this.words = (await this.engine.ask("words", {})).value;
    } catch (error) {
      // A worker that has died says so itself, and the next one is asked again.
      if (wordsOf(error)) this.broken(wordsOf(error) ?? "");
      return;
    }
    this.main.removeAttribute("aria-busy");
    document.documentElement.dataset.build = this.engine.simd ? "simd" : "plain";
    await this.changed(new Set(["view"]), null);
  }

  private get name(): string {
    const name = this.embed ?? (this.state.get("view") || "fetch");
    return VIEWS.some(([view]) => view === name) ? name : "fetch";
  }

  private async view(name: string): Promise<View | null> {
    const known = this.views.get(name);
    if (known || !this.words) return known ?? null;
    const page: Page = {
      state: this.state,
      engine: this.engine,
      pictures: this.pictures,
      words: this.words,
      embed: this.embed,
      openFile: (file) => void this.open(file),
      say: (text) => this.say(text),
      dark: () => document.documentElement.dataset.theme === "dark",
    };
    // Editors are large: anyone who only looks at fetches does not load them.
    const made =
      name === "kernel"
        ? new (await import("./kernel")).KernelPage(page)
        : name === "txd"
          ? new (await import("./txd")).TxdPage(page)
          : name === "area"
            ? new (await import("./area")).AreaPage(page)
            : new FetchPage(page);
    const there = this.views.get(name);
    if (there) return there;
    this.views.set(name, made);
    return made;
  }

  private async changed(changed: Set<string>, from: unknown): Promise<void> {
    const name = this.name;
    try {
      const view = await this.view(name);
      if (!view || name !== this.name) return;
      if (this.main.firstElementChild !== view.element) {
        this.main.replaceChildren(view.element);
        document.title = `${VIEWS.find(([one]) => one === name)?.[1]} · texunit`;
      }
      for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a[data-view]")) {
        if (link.dataset.view === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      view.update(changed, from);
    } catch (error) {
      this.broken(wordsOf(error) ?? String(error));
    }
  }

  private navigation(): void {
    for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a[data-view]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.state.set({ view: link.dataset.view === "fetch" ? "" : link.dataset.view });
      });
    }
    find("theme").addEventListener("click", () => {
      const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem("texunit-theme", next);
      } catch {
        // It holds until the page is left.
      }
      this.setTheme(next);
    });
    find("link").addEventListener("click", async () => {
      const link = this.state.link();
      const left = this.state.hasOwn ? " Your own texture is left out." : "";
      try {
        await navigator.clipboard.writeText(link);
        this.say(`The link is copied.${left}`);
      } catch {
        prompt(`The link of what is shown.${left}`, link);
      }
    });
  }

  private setTheme(theme: "dark" | "light"): void {
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    for (const view of this.views.values()) view.redraw();
  }

  private dropping(): void {
    addEventListener("dragover", (event) => {
      event.preventDefault();
      document.documentElement.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.documentElement.classList.remove("dropping");
    });
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.documentElement.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) void this.open(file);
    });
  }

  /** A user's texture: the view shows it, or what is wrong with it. */
  private async open(file: File): Promise<void> {
    try {
      if (file.size > 256 << 20) throw new Error(`${file.name} has ${file.size} bytes; the page takes at most ${256 << 20}`);
      const known = await this.engine.hold(file.name, new Uint8Array(await file.arrayBuffer()));
      const view = this.name === "area" ? "area" : "";
      // Size and format of the texture before say nothing about this one.
      this.state.set({ view, tex: "own", "own-name": `${file.name} ${Date.now()}`, size: "", "texel-format": "", geometry: "", layers: "", samples: "", levels: "", op: "", at: "" });
      if (known.help) this.say(known.help);
    } catch (error) {
      const words = wordsOf(error);
      if (words) this.say(words);
    }
  }

  private say(text: string): void {
    this.toast.textContent = text;
    this.toast.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => {
      this.toast.hidden = true;
    }, 6000);
  }

  private died(message: string, restarted: boolean): void {
    const report = "https://github.com/texunit/texunit/issues";
    const what = restarted
      ? "texunit stopped working here and has been started again. If the same input does it once more, please report it with the link of this page."
      : "texunit stops working again and again. Change what you have entered last, or choose another texture, and start it again.";
    const button = h("button", { type: "button" }, restarted ? "Close" : "Start again");
    button.addEventListener("click", () => {
      this.banner.hidden = true;
      if (!restarted) this.engine.revive();
    });
    this.banner.replaceChildren(
      h("p", {}, what),
      h("details", {}, h("summary", {}, "What it said"), h("pre", { tabindex: 0 }, message)),
      h("div", { class: "buttons" }, button, h("a", { class: "button", href: report, rel: "noopener" }, "Report it")),
    );
    this.banner.hidden = false;
  }

  private broken(message: string): void {
    this.banner.replaceChildren(h("p", {}, `The page cannot be shown: ${message}`), h("p", {}, "Load it again. It needs a browser of 2023 or later, and a web server: file:// does not work."));
    this.banner.hidden = false;
  }

  private restarted(): void {
    this.pictures.forget();
    if (!this.words) {
      void this.begin();
      return;
    }
    const kernel = this.views.get("kernel") as { renew?: () => void } | undefined;
    kernel?.renew?.();
    void this.changed(new Set(), null);
  }

  /** For tests. */
  panic(): void {
    this.engine.panic();
  }
}

const app = new App();
(window as unknown as { texunit: App }).texunit = app;
void app.start();
