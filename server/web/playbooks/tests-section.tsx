import type { ApiTestResult } from '../api/types.ts'
import { Alert, Badge, Button, List, Stack, Text, UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { apiCall } from '../api/call.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import './playbooks.css'
import { OutsideText } from '../parts/text-view.tsx'

type Failure = ApiTestResult['problems'][number]

interface TestsSectionProps {
  readonly name: string
  /** Tests the saved draft instead of the live version. */
  readonly isDraft?: boolean
}

/** Runs the tests of a playbook and shows uncovered branches. Mount it anew for another version. */
export function TestsSection({ name, isDraft = false }: TestsSectionProps) {
  const run = useMutation({
    mutationFn: () =>
      apiCall<ApiTestResult>('POST', `/playbooks/${encodeURIComponent(name)}/test`, {
        query: { draft: isDraft || undefined },
      }),
  })
  return (
    <Section
      title="Tests"
      actions={
        <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
          Run tests
        </Button>
      }
    >
      {run.isError && <ErrorAlert error={run.error} />}
      {run.data ? (
        <TestedView tested={run.data} name={name} address={`/playbooks/${name}${isDraft ? '/draft' : ''}`} />
      ) : (
        <Text size="sm" c="dimmed">
          Tests the {isDraft ? 'saved draft' : 'live version'} with mocked skills: no real calls.
        </Text>
      )}
    </Section>
  )
}

interface TestedViewProps {
  readonly tested: ApiTestResult
  readonly name: string
  /** The view of the tested source. */
  readonly address: string
}

function TestedView({ tested, name, address }: TestedViewProps) {
  const [, navigate] = useLocation()
  const { file, problems, tests, coverage } = tested
  if (file === null)
    return (
      <Text size="sm">
        No tests. Add <code>{name}.test.yaml</code> next to its file in the playbooks folder.
      </Text>
    )
  return (
    <Stack gap="sm">
      {problems.length > 0 && (
        <Alert color="red" title={`${file} has errors`}>
          <Failures failures={problems} />
        </Alert>
      )}
      <div role="list" aria-label="Test results">
        {tests.map((test) => (
          <div key={test.line} role="listitem" className="test-row">
            <Badge color={test.failures.length === 0 ? 'green' : 'red'}>
              {test.failures.length === 0 ? 'Passed' : 'Failed'}
            </Badge>
            <div>
              <OutsideText text={test.name} />
              <Failures failures={test.failures} />
            </div>
          </div>
        ))}
      </div>
      {coverage !== null && (
        <div>
          <Text size="sm" fw={600}>
            {coverage.taken} of {coverage.total} branches covered
          </Text>
          {coverage.missing.map(({ label, line }) => (
            <UnstyledButton
              key={label}
              className="problem-row"
              onClick={() => {
                navigate(`${address}?line=${line}`)
                scrollTo(0, 0)
              }}
            >
              <Text size="sm" className="outside-text">
                <Badge color="orange" mr={8}>
                  line {line}
                </Badge>
                {showInvisible(label)}
              </Text>
            </UnstyledButton>
          ))}
        </div>
      )}
    </Stack>
  )
}

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  if (failures.length === 0) return null
  return (
    <List size="sm">
      {failures.map(({ message, hint, line }, index) => (
        <List.Item key={index} className="outside-text">
          {line}: {showInvisible(message)}
          {hint !== null && ` (${showInvisible(hint)})`}
        </List.Item>
      ))}
    </List>
  )
}
