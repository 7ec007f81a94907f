import { chainFunctions } from '../../../../src/judge/functions/index.js'

type Run = (typeof chainFunctions)[string]

/** Calls a function by its name, as a scenario's step does. */
export function compute(name: string, ...params: Parameters<Run>[0]): ReturnType<Run> {
  const run = chainFunctions[name]
  if (run === undefined) throw new Error(`no function ${name}`)
  return run(params)
}
