import { createRequire } from 'node:module'

type Validate = ((value: unknown) => boolean) & { readonly errors?: unknown }
type Schema = string | object

/** What is used here of ajv 6, which @open-rpc/schema-utils-js brings along. */
interface Ajv {
  errors: unknown
  compile(schema: object): Validate
  getSchema(name: string): Validate | undefined
  validate(schema: Schema, value: unknown): boolean
}

/**
 * Keeps what `validateOpenRPCDocument` compiles: it compiles the meta-schema anew for each of the hundreds of documents
 * that the tests of a process make, for longer than most of them take. It still decides, by the same compiled code.
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
