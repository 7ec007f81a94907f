/** The values of a template by name: texts, and conditions of sections. */
export type TemplateValues = Readonly<Record<string, string | boolean>>

/**
 * Fills a template in a part of Mustache's notation: `{{name}}` is replaced by a text, which is not escaped.
 * `{{#name}}…{{/name}}` is kept if the value is true or a text that is not empty, and `{{^name}}…{{/name}}` otherwise.
 * Lines that contain only a section tag are removed.
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
