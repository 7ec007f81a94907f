interface StateProps {
  readonly isGood: boolean
  readonly good: string
  readonly bad: string
}

/** Whether something works, in a word. */
export function State({ isGood, good, bad }: StateProps) {
  return <span class={`badge ${isGood ? 'good' : 'bad'}`}>{isGood ? good : bad}</span>
}
