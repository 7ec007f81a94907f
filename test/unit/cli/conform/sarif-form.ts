import { Ajv } from 'ajv'

const object = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})
const list = (items: object) => ({ type: 'array', items })
const text = { type: 'string' }
const message = object(['text'], { text: { type: 'string', minLength: 1 } })
const line = { type: 'integer', minimum: 1 }
const dateTime = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' }

/** The members of SARIF 2.1.0 that the project writes, with what the standard requires of them. */
const log = object(['version', 'runs'], {
  $schema: { type: 'string', pattern: 'sarif-2\\.1\\.0' },
  // Section 3.13.2
  version: { const: '2.1.0' },
  runs: list(
    object(['tool', 'results'], {
      tool: object(['driver'], {
        // Section 3.19
        driver: object(['name'], {
          name: text,
          version: text,
          // Section 3.49
          rules: list(
            object(['id'], {
              id: text,
              shortDescription: message,
              help: message,
              properties: { type: 'object' },
            }),
          ),
        }),
      }),
      // Section 3.8
      properties: { type: 'object' },
      // Section 3.14.17
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      // Section 3.20
      invocations: list(
        object(['executionSuccessful'], {
          executionSuccessful: { type: 'boolean' },
          startTimeUtc: dateTime,
          endTimeUtc: dateTime,
        }),
      ),
      // Section 3.27
      results: list(
        object(['message'], {
          ruleId: text,
          ruleIndex: { type: 'integer', minimum: 0 },
          level: { enum: ['none', 'note', 'warning', 'error'] },
          message,
          locations: list(
            object([], {
              physicalLocation: object(['artifactLocation'], {
                artifactLocation: object(['uri'], { uri: text }),
                region: object(['startLine'], { startLine: line, startColumn: line }),
              }),
              logicalLocations: list(object([], { fullyQualifiedName: text, kind: text })),
            }),
          ),
          partialFingerprints: { type: 'object', additionalProperties: text },
          baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
          suppressions: list(
            object(['kind'], { kind: { enum: ['inSource', 'external'] }, justification: text }),
          ),
          properties: { type: 'object' },
        }),
      ),
    }),
  ),
})

const validate = new Ajv({ allErrors: true }).compile(log)

/** Returns what is wrong with a SARIF log: its form, and rules that a result names by a wrong index. */
export function sarifProblems(given: unknown): readonly string[] {
  if (!validate(given))
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  const { runs } = given as {
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } }
      readonly results: readonly { readonly ruleId: string; readonly ruleIndex: number }[]
    }[]
  }
  return runs.flatMap(({ tool, results }) =>
    results
      .filter(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex]?.id !== ruleId)
      .map(({ ruleId }) => `${ruleId} has the index of another rule`),
  )
}
