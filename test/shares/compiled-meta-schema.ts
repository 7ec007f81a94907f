import { createRequire } from 'node:module'

type Validate = ((value: unknown) => boolean) & { readonly errors?: unknown }
type Schema = string | object

/** The members of ajv 6 that this file uses. @open-rpc/schema-utils-js depends on it. */
interface Ajv {
  errors: unknown
  compile(schema: object): Validate
  getSchema(name: string): Validate | undefined
  validate(schema: Schema, value: unknown): boolean
}

/**
 * Caches what `validateOpenRPCDocument` compiles. It recompiles the meta-schema for each of hundreds of documents,
 * which takes longer than most tests. The compiled code and its verdicts stay the same.
 */
export function keepCompiledMetaSchema(): void {
  const ofTool = createRequire(createRequire(import.meta.url).resolve('@open-rpc/schema-utils-js'))
  const { prototype } = ofTool('ajv') as { readonly prototype: Ajv }
  const known = new Map<string, Validate>()
  const { validate } = prototype
  prototype.validate = function (schema, value) {
    const key = typeof schema === 'string' ? schema : JSON.stringify(schema)
    const compiled =
      known.get(key) ?? (typeof schema === 'string' ? this.getSchema(schema) : this.compile(schema))
    if (!compiled) return validate.call(this, schema, value)
    known.set(key, compiled)
    const valid = compiled(value)
    this.errors = compiled.errors
    return valid
  }
}
