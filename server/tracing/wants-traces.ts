/** Whether the environment asks for traces, by the variables of the OpenTelemetry specification. */
export function wantsTraces(env: Readonly<Record<string, string | undefined>>): boolean {
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim() ?? ''
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true' || exporter === 'none') return false
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  return exporter === 'otlp' || endpoint.trim() !== ''
}
