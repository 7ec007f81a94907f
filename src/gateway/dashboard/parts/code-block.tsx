import { CopyButton } from './copy-button.js'
import { Secret, type SecretProps } from './secret.js'

interface CodeBlockProps {
  readonly code: string
  /** What the code is, behind the word “Copy”. */
  readonly label: string
}

/** A block of code, and what copies it. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <div class="copy block">
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  )
}

/** A block of code with a key in it: hidden until it is asked for, copied as it is. */
export function SecretBlock({ label, ...secret }: SecretProps & Pick<CodeBlockProps, 'label'>) {
  return (
    <div class="copy block">
      <pre>
        <Secret {...secret} />
      </pre>
      <CopyButton text={secret.plain} label={`Copy ${label}`} />
    </div>
  )
}
