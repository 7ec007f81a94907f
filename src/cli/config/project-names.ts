import { ChosenNameError } from '../../codegen/index.js'
import type { ProjectConfig } from './project-config.js'

/**
 * Runs work that uses the chosen names of a project.
 * @throws UsageError with file and line for a chosen name that cannot be used
 */
export async function withProjectNames<Value>(
  config: ProjectConfig,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ChosenNameError)) throw cause
    throw config.refusal(['generate', 'names', ...cause.path], cause.message)
  }
}
