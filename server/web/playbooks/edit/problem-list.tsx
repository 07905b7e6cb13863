import { Badge, Stack, Text, UnstyledButton } from '@mantine/core'
import type { Problem } from '../playbook.ts'
import '../playbooks.css'

interface ProblemListProps {
  readonly problems: readonly Problem[]
  /** `checking`: the problems are those of the text as it was before. */
  readonly state: 'checked' | 'checking' | 'failed'
  readonly onShow: (line: number) => void
}

const says = { checked: 'No problems', checking: 'Checking …', failed: 'Not checked' } as const

/** The mistakes in a playbook; a click leads to the place. */
export function ProblemList({ problems, state, onShow }: ProblemListProps) {
  return (
    <Stack gap={2} aria-live="polite" role="region" aria-label="Problems">
      {problems.length === 0 && (
        <Text size="sm" c="dimmed">
          {says[state]}
        </Text>
      )}
      {problems.map(({ line, column, code, severity, message, hint }, index) => (
        <UnstyledButton key={index} className="problem-row" onClick={() => onShow(line)}>
          <Text size="sm" className="outside-text">
            <Badge
              size="sm"
              variant="light"
              color={severity === 'error' ? 'red' : 'orange'}
              tt="none"
              radius="sm"
              mr={8}
            >
              {line}:{column} {code}
            </Badge>
            {message}
          </Text>
          {hint !== undefined && (
            <Text size="xs" c="dimmed" className="outside-text">
              {hint}
            </Text>
          )}
        </UnstyledButton>
      ))}
    </Stack>
  )
}
