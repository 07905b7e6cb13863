import { Anchor, Button, Code, CopyButton, Group, List, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { addressOf } from '../api/call.ts'
import { useOrganizations, useProviders } from '../api/lookups.ts'
import { ViewTitle } from '../shell/view-title.tsx'

const inQuotes = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A line for a terminal that posts an alert and waits for its investigation. */
function firstAlertCommand(address: string, organization: string, provider: string): string {
  const body = {
    alert_provider: provider,
    organization_code: organization,
    alert_type: 'first_alert',
    alert_content: '{"source_ip":"198.51.100.23","user":"kim@example.com"}',
  }
  return [
    `curl -sS ${address} \\`,
    `  -H "Authorization: Bearer $TOCSIN_KEY" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\`,
    `  -d ${inQuotes(JSON.stringify(body))}`,
  ].join('\n')
}

/** What to do while there is no alert yet. */
export function FirstAlert() {
  const organization = useOrganizations()[0]?.code ?? 'main'
  const provider = useProviders().find(({ code }) => code === 'custom')?.code ?? 'custom'
  const command = firstAlertCommand(new URL(addressOf('/alerts'), location.href).href, organization, provider)
  return (
    <Stack maw={760}>
      <ViewTitle>Alerts</ViewTitle>
      <Text>No alert has come in yet. This is how the first one does:</Text>
      <List type="ordered" spacing="md">
        <List.Item>
          Have a key of the role <Code>intake</Code> for what posts alerts:{' '}
          <Code>npx tocsin keys create</Code> on the server, then <Code>export TOCSIN_KEY=toc_…</Code>
        </List.Item>
        <List.Item>
          Send an alert:
          <Paper withBorder p="sm" mt="xs">
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Code block bg="transparent" p={0}>
                {command}
              </Code>
              <CopyButton value={command}>
                {({ copied, copy }) => (
                  <Button size="compact-xs" variant="default" onClick={copy}>
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </Paper>
        </List.Item>
        <List.Item>It appears here by itself. Open it to see what was done about it, and its case.</List.Item>
      </List>
      <Text size="sm" c="dimmed">
        The kind of alert, <Code>alert_type</Code>, decides which playbook investigates it; where there is
        none for it, one is made. The{' '}
        <Anchor underline="always" component={Link} href="/cases">
          cases
        </Anchor>{' '}
        hold what was found.
      </Text>
    </Stack>
  )
}
