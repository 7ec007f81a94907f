interface SecretProps {
  /** With the key's text. */
  readonly plain: string
  /** The same with the key's text hidden. */
  readonly masked: string
  readonly isRevealed: boolean
}

/** Code with a key in it: hidden until it is asked for; the links to reveal it change all that a page has. */
export function Secret({ plain, masked, isRevealed }: SecretProps) {
  return (
    <code data-secret={masked} data-secret-text={plain}>
      {isRevealed ? plain : masked}
    </code>
  )
}
