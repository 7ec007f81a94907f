import { Form } from './form.js'
import { usePage } from './page-context.js'

const themes = [
  ['', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** The switch between the themes. */
export function ThemeSwitch() {
  const { theme, hasForms } = usePage()
  if (!hasForms) return null
  return (
    <Form action="/theme" class="theme" label="Theme">
      {themes.map(([value, text]) => (
        <button
          type="submit"
          name="theme"
          value={value}
          aria-pressed={value === (theme ?? '') ? 'true' : 'false'}
          key={value}
        >
          {text}
        </button>
      ))}
    </Form>
  )
}
