import type { SentStep, Step } from './scenario.js'

/** Returns the sending steps in order, including those of `parallel`. */
export function sentSteps(steps: readonly Step[]): readonly SentStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return step.steps
    return step.kind === 'compute' || step.kind === 'skip' || step.kind === 'law' ? [] : [step]
  })
}
