import type { ComponentChildren } from 'preact'

interface BadgeProps {
  readonly tone?: 'good' | 'bad' | undefined
  readonly children: ComponentChildren
}

interface StateProps {
  readonly isGood: boolean
  readonly good: string
  readonly bad: string
}

/**
 * A short state or fact beside a text. It begins with a space, so that copied text, screen readers and the eye keep it
 * apart from the text before it; at the beginning of a line, browsers drop the space.
 */
export function Badge({ tone, children }: BadgeProps) {
  return (
    <>
      {' '}
      <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
    </>
  )
}

/** A badge for a good or bad state. */
export function State({ isGood, good, bad }: StateProps) {
  return <Badge tone={isGood ? 'good' : 'bad'}>{isGood ? good : bad}</Badge>
}
