import { chainFunctions } from '../../../src/chain-functions/index.js'

type Run = (typeof chainFunctions)[string]

/** Calls a function as a scenario's step does, by its name. */
export function compute(name: string, ...params: Parameters<Run>[0]): ReturnType<Run> {
  const run = chainFunctions[name]
  if (run === undefined) throw new Error(`there is no function ${name}`)
  return run(params)
}
