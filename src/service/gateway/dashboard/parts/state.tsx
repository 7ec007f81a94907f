interface StateProps {
  readonly isGood: boolean
  readonly good: string
  readonly bad: string
}

/** A badge for a good or bad state. */
export function State({ isGood, good, bad }: StateProps) {
  return <span class={`badge ${isGood ? 'good' : 'bad'}`}>{isGood ? good : bad}</span>
}
