import 'package:flutter/widgets.dart';

/// Whether a part of an ad is pressed or has the focus.
final class AdUse {
  bool isPressed = false;
  bool isFocused = false;

  bool get isInUse => isPressed || isFocused;
}

/// A link or a button: for fingers, keyboards and screen readers. A null [onPressed]: neither.
final class Pressable extends StatelessWidget {
  const Pressable({
    super.key,
    required this.label,
    required this.use,
    required this.onPressed,
    required this.child,
    this.isLink = false,
  });

  /// What a screen reader reads in place of [child].
  final String label;
  final AdUse use;
  final void Function()? onPressed;
  final Widget child;
  final bool isLink;

  @override
  Widget build(BuildContext context) {
    final press = onPressed;
    final described = Semantics(
      container: true,
      label: label,
      button: press != null && !isLink,
      link: press != null && isLink,
      image: press == null,
      onTap: press,
      excludeSemantics: true,
      child: child,
    );
    if (press == null) return described;
    return FocusableActionDetector(
      mouseCursor: SystemMouseCursors.click,
      onShowFocusHighlight: (isFocused) => use.isFocused = isFocused,
      actions: {
        ActivateIntent: CallbackAction<ActivateIntent>(
          onInvoke: (intent) {
            press();
            return null;
          },
        ),
      },
      child: GestureDetector(
        behavior: HitTestBehavior.opaque,
        excludeFromSemantics: true,
        onTapDown: (details) => use.isPressed = true,
        onTapUp: (details) => use.isPressed = false,
        onTapCancel: () => use.isPressed = false,
        onTap: press,
        child: described,
      ),
    );
  }
}
