import type { DashboardLimits } from '../dashboard-services.js'
import { type FormProblems, Input } from '../parts/form.js'

interface ReasonFieldProps {
  readonly limits: DashboardLimits
  readonly value?: string
  readonly problems?: FormProblems | undefined
}

/** The reason of an operator's change, which the owner of the account reads. */
export const ReasonField = ({ limits, value = '', problems }: ReasonFieldProps) => (
  <Input
    name="reason"
    label="Reason (optional)"
    hint="The user reads it in a mail and in the dashboard."
    value={value}
    maxLength={limits.reasonLength}
    autocomplete="off"
    problems={problems}
  />
)
