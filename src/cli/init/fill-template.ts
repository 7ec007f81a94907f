/** What the names in a template stand for. A section is kept for true and for a text that is not empty. */
export type TemplateValues = Readonly<Record<string, string | boolean>>

/**
 * Fills a template in the notation of Mustache: `{{name}}` is a text as it is, `{{#name}}…{{/name}}` is kept if the
 * value is set, `{{^name}}…{{/name}}` if it is not. A line that is only the begin or end of a section goes.
 * @throws TypeError for a name without a value
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  const named = (name: string) => {
    const value = values[name]
    if (value === undefined) throw new TypeError(`the template has an unknown name ${name}`)
    return value
  }
  return template
    .replaceAll(/^(\{\{[#^/]\w+\}\})\n/gm, '$1')
    .replaceAll(/\{\{([#^])(\w+)\}\}(.*?)\{\{\/\2\}\}/gs, (_, sign: string, name: string, text: string) =>
      Boolean(named(name)) === (sign === '#') ? text : '',
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(named(name)))
}
