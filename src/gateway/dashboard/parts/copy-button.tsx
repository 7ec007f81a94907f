interface CopyButtonProps {
  readonly text: string
  /** What the button does, for those who do not see what it stands beside. */
  readonly label: string
}

/** Copies a text, where scripts run. */
export function CopyButton({ text, label }: CopyButtonProps) {
  return (
    <button type="button" hidden data-copy={text} aria-label={label}>
      Copy
    </button>
  )
}
