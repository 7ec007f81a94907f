/** Keywords that restrict no value, and keywords that only hold schemas for references. */
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$comment', '$id', '$schema', '$anchor', '$dynamicAnchor', 'definitions', '$defs'],
  ...['discriminator', 'externalDocs'],
])

/** Returns true for a keyword that restricts no value. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-')
}
