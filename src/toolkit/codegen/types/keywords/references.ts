// The keyword `$ref` (draft-07 core, section 8.3; 2020-12 core, section 8.2.3.1).

import { followed, type LocatedSchema } from '../../../contract/index.js'
import { type TypeText, type TypeWriter, tight, type WriteType } from '../type-writer.js'

/** Returns the type of the referenced schema: its name, if it has one. Undefined without a reference. */
export function referencedType(
  writer: TypeWriter,
  located: LocatedSchema,
  write: WriteType,
): TypeText | undefined {
  const target = followed(located, writer.contract)
  if (target === undefined) return undefined
  const name = writer.names.get(target.pointer)
  if (name === undefined) return write(target)
  return tight(name)
}
