import type { DashboardLimits, DashboardServices } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems, Select } from '../parts/form.js'
import { DescriptionField, type KeyDetails, NameField, PurposeFields } from './key-fields.js'

/** Values of the form for a new key, as entered. */
export interface NewKeyValues extends KeyDetails {
  readonly network: string
}

interface NewKeyPageProps {
  /** The networks for which keys can be created. */
  readonly networks: DashboardServices['networks']
  readonly limits: DashboardLimits
  readonly values?: NewKeyValues
  readonly problems?: FormProblems
}

/** The form that creates a key. */
export function NewKeyPage({ networks, limits, values, problems }: NewKeyPageProps) {
  const titles = [...networks].map(([name, { title }]) => [name, title] as const)
  const isMoreOpen = Boolean(values?.useCase || values?.nodeService)
  return (
    <section class="narrow">
      <h1>Create a key</h1>
      <FormProblem problems={problems} />
      <Form action="/keys">
        <NameField
          values={values}
          limits={limits}
          hint="For example, the program that uses the key."
          problems={problems}
        />
        <Select
          name="network"
          label="Network"
          hint="A key works on one network. The network cannot be changed later."
          value={values?.network ?? titles[0]?.[0] ?? ''}
          options={titles}
          problems={problems}
        />
        <DescriptionField values={values} limits={limits} problems={problems} />
        <details open={isMoreOpen}>
          <summary>More options</summary>
          <PurposeFields values={values} problems={problems} />
        </details>
        <div class="actions">
          <button type="submit">Create key</button>
          <a href="/keys">Cancel</a>
        </div>
      </Form>
    </section>
  )
}
