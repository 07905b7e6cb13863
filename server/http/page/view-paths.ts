/** First path segments of the views of the page (`server/web/views.ts`). */
export const viewPaths: ReadonlySet<string> = new Set([
  'alerts',
  'audit',
  'cases',
  'catalogue',
  'checkpoints',
  'connections',
  'health',
  'keys',
  'organizations',
  'playbooks',
  'providers',
  'runs',
])
