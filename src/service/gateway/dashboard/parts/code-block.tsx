import { Hex } from './hex.js'
import { Secret, type SecretProps } from './secret.js'

interface CodeBlockProps {
  readonly code: string
  /** Name of the code, for the label of the copy button. */
  readonly label: string
}

/** A block of code with a copy button. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <div class="copy block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content needs keyboard access */}
      <pre tabIndex={0}>
        <code>
          <Hex text={code} />
        </code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  )
}

/** A block of code with a key. The key is masked until it is revealed; the copy button copies it unmasked. */
export function SecretBlock({ label, ...secret }: SecretProps & Pick<CodeBlockProps, 'label'>) {
  return (
    <div class="copy block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content needs keyboard access */}
      <pre tabIndex={0}>
        <Secret {...secret} />
      </pre>
      <CopyButton text={secret.plain} label={`Copy ${label}`} />
    </div>
  )
}

interface CopyButtonProps {
  readonly text: string
  /** Label for screen readers. */
  readonly label: string
}

/** A button that copies a text. Scripts make it visible. */
export function CopyButton({ text, label }: CopyButtonProps) {
  return (
    <button type="button" class="quiet small" hidden data-copy={text} aria-label={label}>
      Copy
    </button>
  )
}

interface CopyUrlButtonProps {
  /** Id of the key. */
  readonly of: string
  /** Name of the key. */
  readonly name: string
}

/** A button that copies the URL of a key, which is not part of the page: scripts read it from the key's own page. */
export function CopyUrlButton({ of, name }: CopyUrlButtonProps) {
  return (
    <button
      type="button"
      class="quiet small"
      hidden
      data-copy-from={`/keys/${of}`}
      aria-label={`Copy the URL of ${name}`}
    >
      Copy
    </button>
  )
}
