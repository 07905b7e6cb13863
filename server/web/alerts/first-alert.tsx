import { Button, Code, Select, Stack, Text, Timeline } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { addressOf, apiCall } from '../api/call.ts'
import { useOrganization } from '../api/lookups.ts'
import { Command } from '../parts/text-view.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useMay, useSession } from '../session/session.ts'
import { ViewHead } from '../shell/view.tsx'
import { TextLink } from '../parts/layout.tsx'

/** A guide for the first alert: create a key, send an alert, see the result. */
export default function FirstAlert() {
  const mayMakeKey = useMay('keys:write')
  const { organization_codes: ownCodes } = useSession()
  const { code: organization, field: choice } = useOrganization(useState<string | null>(null))
  const make = useMutation({
    mutationFn: () =>
      apiCall<{ readonly key: string }>('POST', '/keys', {
        body: { name: 'first alert', role: 'intake', organization_codes: ownCodes },
      }),
  })
  const key = make.data?.key
  const address = new URL(addressOf('/alerts'), location.href).href
  return (
    <Stack gap="var(--tocsin-gap)" maw={860}>
      <ViewHead title="Alerts" about="No alerts yet. Send the first one in three steps." />
      <Timeline active={key === undefined ? 0 : 1} bulletSize={28} lineWidth={2}>
        <Step number={1} title="Create an API key for your alert source">
          <Text size="sm">
            Keys with the role <Code>intake</Code> can only post alerts.
          </Text>
          {!mayMakeKey && <Text size="sm">Ask an administrator to create one.</Text>}
          {mayMakeKey && key === undefined && (
            <Button size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              Create key
            </Button>
          )}
          {make.isError && <ErrorAlert error={make.error} />}
          {key !== undefined && (
            <>
              <Text size="sm">Copy the key now: it is not shown again. The command below contains it.</Text>
              <Command text={key} label="API key" />
            </>
          )}
        </Step>
        <Step number={2} title="Send an alert">
          <Text size="sm">
            {choice.data.length > 1 && 'Choose an organization. '}Run this in a terminal.{' '}
            {key === undefined && (
              <>
                Set <Code>TOCSIN_KEY</Code> to an API key first.
              </>
            )}
          </Text>
          {(choice.data.length > 1 || choice.error !== undefined) && <Select size="xs" {...choice} />}
          {organization !== undefined && (
            <Command text={firstAlertCommand({ address, key, organization })} label="Command" />
          )}
        </Step>
        <Step number={3} title="See the result">
          <Text size="sm">
            The alert appears here automatically. Its <Code>alert_type</Code> selects the{' '}
            <TextLink href="/playbooks" isUnderlined>
              playbook
            </TextLink>{' '}
            that investigates it; without a match, Tocsin generates one. See the findings in its{' '}
            <TextLink href="/cases" isUnderlined>
              case
            </TextLink>
            .
          </Text>
        </Step>
      </Timeline>
    </Stack>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

function Step({ number, title, children }: StepProps) {
  return (
    <Timeline.Item
      bullet={
        <Text span size="sm" fw={600}>
          {number}
        </Text>
      }
      title={title}
    >
      <Stack gap="xs" align="flex-start" mt={4}>
        {children}
      </Stack>
    </Timeline.Item>
  )
}

interface CommandParts {
  /** URL to which alerts are posted. */
  readonly address: string
  /** Undefined: use the variable of the terminal. */
  readonly key: string | undefined
  readonly organization: string
}

/** A command for a terminal (POSIX shells) that posts an alert and waits for its investigation. */
function firstAlertCommand({ address, key, organization }: CommandParts): string {
  const body = {
    // Every server has this provider.
    alert_provider: 'custom',
    organization_code: organization,
    alert_type: 'first_alert',
    alert_content: '{"source_ip":"198.51.100.23","user":"kim@example.com"}',
  }
  return [
    `curl -sS ${inQuotes(address)} \\`,
    `  -H "Authorization: Bearer ${key ?? '$TOCSIN_KEY'}" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\`,
    `  -d ${inQuotes(JSON.stringify(body))}`,
  ].join('\n')
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
