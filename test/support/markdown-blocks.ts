/**
 * Returns the code blocks of a language in one section of a Markdown text, in order.
 * @param section the heading, of the second level
 */
export function markdownBlocks(markdown: string, section: string, language: string): readonly string[] {
  const text = markdown.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code = '']) => code,
  )
}
