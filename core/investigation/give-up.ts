/**
 * The playbook of an alert that cannot be investigated: its run fails and says why, so that the alert is seen as Failed instead of
 * staying Created for ever. `reason` is of our making, never text of the alert.
 */
export function givingUp(reason: string): string {
  return [
    '# Made by Tocsin for alerts that it could not investigate.',
    'apiVersion: tocsin/v1',
    'name: not-investigated',
    'description: Says why an alert was not investigated.',
    'on: { manual: true }',
    'steps:',
    `  - fail: ${JSON.stringify(reason)}`,
    '',
  ].join('\n')
}
