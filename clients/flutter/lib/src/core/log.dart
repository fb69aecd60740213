/// Faults that a library may not throw into its host.
abstract final class PlacardLog {
  /// Receives faults. Null: they are dropped.
  static void Function(Object fault, StackTrace trace)? listener;

  static void report(Object fault, StackTrace trace) {
    try {
      listener?.call(fault, trace);
    } catch (_) {
      // The listener is the host's, and what it throws must not reach the host either.
    }
  }
}

/// Runs [task]. What it throws goes to [PlacardLog].
void guarded(void Function() task) {
  try {
    task();
  } catch (fault, trace) {
    PlacardLog.report(fault, trace);
  }
}
