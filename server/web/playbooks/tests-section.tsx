import { Alert, Badge, Button, List, Stack, Text, UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import './playbooks.css'

/** What `POST playbooks/{playbook}/test` answers. */
interface Tested {
  readonly file: string | null
  readonly problems: readonly Failure[]
  readonly tests: readonly {
    readonly name: string
    readonly line: number
    readonly failures: readonly Failure[]
  }[]
  readonly coverage: {
    readonly taken: number
    readonly total: number
    readonly missing: readonly { readonly label: string; readonly line: number }[]
  } | null
}

interface Failure {
  readonly message: string
  readonly hint: string | null
  readonly line: number
}

/** The tests beside the file of a playbook: run where it is asked for, with what they do not go through. Results are of one version: with another one it begins anew. */
export function TestsSection({ name }: { readonly name: string }) {
  const run = useMutation({
    mutationFn: () => call<Tested>('POST', `/playbooks/${encodeURIComponent(name)}/test`),
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
      {run.isError && <Refusal error={run.error} />}
      {run.data ? (
        <TestedView tested={run.data} name={name} />
      ) : (
        <Text size="sm" c="dimmed">
          Tests the live version with mocked skills: no real calls.
        </Text>
      )}
    </Section>
  )
}

function TestedView({ tested, name }: { readonly tested: Tested; readonly name: string }) {
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
              <Text size="sm" className="outside-text">
                {showInvisible(test.name)}
              </Text>
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
                navigate(`/playbooks/${name}?line=${line}`)
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
