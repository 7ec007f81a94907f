import type { Network } from '../../network.js'
import type { DashboardLimits, DashboardNetwork } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems, Input, Select, TextArea } from '../parts/form.js'
import { nodeServiceOptions, useCaseOptions } from '../parts/purposes.js'

/** What a key is made of, as it was typed. */
export interface NewKeyValues {
  readonly name: string
  readonly network: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

interface NewKeyPageProps {
  readonly networks: Readonly<Record<Network, DashboardNetwork>>
  readonly limits: DashboardLimits
  readonly values?: NewKeyValues
  readonly problems?: FormProblems
}

/** Makes a key. */
export function NewKeyPage({ networks, limits, values, problems }: NewKeyPageProps) {
  const isMoreOpen = Boolean(values?.useCase || values?.nodeService)
  return (
    <section class="narrow">
      <h1>Create a key</h1>
      <FormProblem problems={problems} />
      <Form action="/keys">
        <Input
          name="name"
          label="Name"
          hint="What you call it, such as the program that uses it."
          value={values?.name}
          autocomplete="off"
          required
          maxLength={limits.keyNameLength}
          problems={problems}
        />
        <Select
          name="network"
          label="Network"
          hint="A key works on one network, for good."
          value={values?.network ?? 'test'}
          options={(['test', 'main'] as const).map((network) => [network, networks[network].title])}
          problems={problems}
        />
        <TextArea
          name="description"
          label="Description (optional)"
          value={values?.description}
          maxLength={limits.keyDescriptionLength}
          problems={problems}
        />
        <details open={isMoreOpen}>
          <summary>More, if you like</summary>
          <Select
            name="useCase"
            label="Use case"
            value={values?.useCase}
            options={useCaseOptions(values?.useCase)}
            problems={problems}
          />
          <Select
            name="nodeService"
            label="Node service"
            value={values?.nodeService}
            options={nodeServiceOptions(values?.nodeService)}
            problems={problems}
          />
        </details>
        <div class="actions">
          <button type="submit">Create the key</button>
          <a href="/keys">Cancel</a>
        </div>
      </Form>
    </section>
  )
}
