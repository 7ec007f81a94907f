import type { SentStep, Step } from './scenario.js'

/** The steps that send something, in order; those of `parallel` one by one. */
export function sentSteps(steps: readonly Step[]): readonly SentStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return step.steps
    return step.kind === 'compute' || step.kind === 'skip' ? [] : [step]
  })
}
