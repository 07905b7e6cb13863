import { Text, UnstyledButton } from '@mantine/core'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { StateBadge, stepLooks } from '../../parts/states/states.tsx'
import type { DryRunStep } from './dry-run.ts'
import './dry-run.css'

interface DryRunStepListProps {
  readonly steps: readonly DryRunStep[]
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

/** More rows make the page slow. */
const maxRows = 500

/** What happens, in order; what would be written stands out. */
export function DryRunStepList({ steps, selected, onSelect }: DryRunStepListProps) {
  return (
    <div className="dry-run-steps" role="group" aria-label="Dry run steps">
      {steps.slice(0, maxRows).map((step) => (
        <UnstyledButton
          key={step.path}
          className="dry-run-step"
          aria-pressed={step.path === selected}
          onClick={() => onSelect(step.path)}
        >
          <DryRunState step={step} />
          <Text size="sm" truncate title={step.path}>
            {showInvisible(step.path)}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {step.kind}
          </Text>
        </UnstyledButton>
      ))}
      {steps.length > maxRows && (
        <Text size="sm" c="dimmed" p="xs">
          {steps.length - maxRows} more steps: see the API response
        </Text>
      )}
    </div>
  )
}

export function DryRunState({ step }: { readonly step: DryRunStep }) {
  return (
    <StateBadge
      {...(step.write === undefined ? stepLooks[step.state] : { text: 'Not called', color: 'orange' })}
    />
  )
}
