/**
 * Runs `task(0)` to `task(count - 1)` with limited concurrency, and returns the results in order. After a
 * rejection no task starts; it rejects with the first reason when all started tasks have ended.
 */
export async function limited<T>(
  count: number,
  limit: number,
  task: (index: number) => Promise<T>,
): Promise<readonly T[]> {
  const results = Array.from<T>({ length: count })
  let next = 0
  let failure: { readonly reason: unknown } | undefined
  const work = async () => {
    while (next < count && failure === undefined) {
      const index = next++
      try {
        results[index] = await task(index)
      } catch (reason) {
        failure ??= { reason }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, count) }, work))
  if (failure !== undefined) throw failure.reason
  return results
}
