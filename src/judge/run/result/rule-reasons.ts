import { isArray, isObject, type JsonValue, joinPointer, member } from '../../../toolkit/contract/index.js'
import { readYaml } from '../../load/read-yaml.js'
import { ScenarioError, type ScenarioProblem } from '../../scenario/scenario-error.js'

/** An exemption of a rule, with the reason. */
export interface RuleReason {
  /** Id of the rule. */
  readonly rule: string
  /** Reason in one sentence. */
  readonly reason: string
  readonly source: { readonly file: string; readonly line: number; readonly column: number }
}

const MEMBERS = ['rule', 'reason'] as const

/**
 * Reads a YAML list of exempted rules, each with `rule` and `reason`.
 * @param file file name, for messages
 * @throws ScenarioError with every problem found
 */
export function readRuleReasons(text: string, file: string): readonly RuleReason[] {
  const { value, locate, problems: unreadable } = readYaml(text)
  const problems: ScenarioProblem[] = unreadable.map((problem) => ({ file, ...problem }))
  const refuse = (pointer: string, message: string) => problems.push({ file, ...locate(pointer), message })
  const read: RuleReason[] = []
  if (problems.length === 0 && !isArray(value)) refuse('#', 'expected a list of {rule, reason}')
  for (const [index, item] of (isArray(value) ? value : []).entries()) {
    const at = joinPointer('#', index)
    const entry = textsOf(item, (name, message) => refuse(joinPointer(at, name), message))
    if (entry === undefined) continue
    if (read.some(({ rule }) => rule === entry.rule)) refuse(at, `"${entry.rule}" is a duplicate; keep one`)
    read.push({ ...entry, source: { file, ...locate(at) } })
  }
  if (problems.length > 0) throw new ScenarioError(problems)
  return read
}

function textsOf(
  item: JsonValue,
  refuse: (name: string, message: string) => void,
): Omit<RuleReason, 'source'> | undefined {
  const text = (name: string): string => {
    const value = isObject(item) ? member(item, name) : undefined
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    refuse(name, `expected a string "${name}"`)
    return ''
  }
  const unknown = isObject(item)
    ? Object.keys(item).filter((name) => !MEMBERS.some((own) => own === name))
    : []
  for (const name of unknown) refuse(name, `"${name}" is unknown: use ${MEMBERS.join(' and ')}`)
  const [rule, reason] = [text('rule'), text('reason')]
  return rule === '' || reason === '' || unknown.length > 0 ? undefined : { rule, reason }
}
