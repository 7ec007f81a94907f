/** A tool or runtime that integrators use, one way to use it, and what comes of it. */
export interface Row {
  /** Such as `Jest`. */
  readonly tool: string
  readonly version: string
  /** How it loads the packages, such as `tests as CommonJS`. */
  readonly form: string
  /** Packages of the npm registry that are installed beside those of this project. */
  readonly install: readonly string[]
  /** A supported version of Node.js; that of the caller by default. */
  readonly node?: string
  /** True when `$CHROMIUM` has to be the path of a browser. */
  readonly needsChromium?: boolean
  /** Contents by path. */
  readonly files: Readonly<Record<string, string>>
  /** A command of the shell, in the folder of the files. `$RPC_URL` is the URL of a running service. */
  readonly command: string
  readonly expected: Expectation
}

/** Works: the command succeeds, and its output has the text. Cannot: it fails, and its output has the text. */
export type Expectation =
  | {
      readonly kind: 'works'
      readonly output: string
      /** What has to be set, as the files and the command have it. */
      readonly settings?: readonly string[]
    }
  | { readonly kind: 'cannot'; readonly reason: string; readonly output: string; readonly instead: string }

/** The name of a row. No two rows have the same. */
export const nameOf = ({ tool, version, form }: Row): string => `${tool} ${version}, ${form}`
