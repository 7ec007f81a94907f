/** A text with a key in it. */
export interface SecretProps {
  /** The text with the key. */
  readonly plain: string
  /** The text with the masked key. */
  readonly masked: string
  readonly isRevealed: boolean
}

/** Code with a key, which is masked until the user reveals the keys of the page. */
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
  /** True next to a heading. */
  readonly isSmall?: boolean
}

/** A link that reveals or hides all keys of the page; with scripts, without a reload. */
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
