interface CodeBlockProps {
  readonly code: string
  readonly label: string
  /** What is copied, where that is not what is shown. */
  readonly copied?: string
}

/** A block of code, with a button to copy it where scripts run. */
export function CodeBlock({ code, label, copied = code }: CodeBlockProps) {
  return (
    <div class="copy block">
      <pre>
        <code>{code}</code>
      </pre>
      <button type="button" hidden data-copy={copied} aria-label={`Copy ${label}`}>
        Copy
      </button>
    </div>
  )
}
