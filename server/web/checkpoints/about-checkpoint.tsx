import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { JsonView } from '../parts/json/json-view.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Time } from '../parts/time/times.tsx'
import { askedOf, besides, questionOf, type Checkpoint } from './checkpoint.ts'

/** What is asked, of whom, and by what. */
export function AboutCheckpoint({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const { run_uuid: run, alert_id: alert, case_id: caseId, step_id: step, path, playbook } = checkpoint
  const asked = askedOf(checkpoint)
  const runHref = `/runs/${run}?${new URLSearchParams({ step: path }).toString()}`
  return (
    <Stack gap="xs">
      <Title order={2} size="h4" className="outside-text">
        {showInvisible(questionOf(checkpoint))}
      </Title>
      <Text size="sm" c="dimmed">
        {checkpoint.organization_code} · asked {asked !== undefined && <>{showInvisible(asked)} </>}
        <Time at={checkpoint.created_at} ago /> via {showInvisible(checkpoint.connection ?? checkpoint.via)}
      </Text>
      <Group gap="md">
        <PlaceLink href={runHref} text={`${playbook} · step ${step ?? path}`} />
        {alert !== null && <PlaceLink href={`/alerts/${alert}`} text={alert.toUpperCase()} />}
        {caseId !== null && <PlaceLink href={`/cases/${caseId}`} text={`Case ${caseId}`} />}
      </Group>
      {besides(checkpoint).map(([name, value]) =>
        typeof value === 'object' ? (
          <JsonView key={name} value={value} label={`${name} of the question`} />
        ) : (
          <Text key={name} size="sm" className="outside-text">
            {showInvisible(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)}
          </Text>
        ),
      )}
    </Stack>
  )
}

function PlaceLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <Anchor component={Link} href={href} size="sm" underline="always">
      {showInvisible(text)}
    </Anchor>
  )
}
