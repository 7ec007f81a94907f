/** A text with a key in it. */
export interface SecretProps {
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

interface RevealLinkProps {
  /** Path of the page. */
  readonly base: string
  readonly isRevealed: boolean
  /** True beside a heading. */
  readonly isSmall?: boolean
}

/** Shows the keys in a page's texts, or hides them again: in place where scripts run. */
export function RevealLink({ base, isRevealed, isSmall = false }: RevealLinkProps) {
  return (
    <a
      class={`button quiet${isSmall ? ' small' : ''}`}
      href={isRevealed ? base : `${base}?show=url`}
      data-reveal={isRevealed ? 'shown' : 'hidden'}
    >
      {isRevealed ? 'Hide' : 'Reveal'}
    </a>
  )
}
