import 'dart:math';

import 'package:flutter/rendering.dart';
import 'package:flutter/widgets.dart';

import '../core/presenter.dart';

/// Fainter than this nobody sees it.
const double _minOpacity = 0.1;
const InView _hidden = (ratio: 0, area: 0, isInFront: false);

/// What is in view of [box], within the window of [context] and all that clips it. What covers it is not
/// noticed. [isOnStage]: false where another page hides its page.
InView measureInView(BuildContext context, RenderBox box, {required bool isOnStage}) {
  final state = WidgetsBinding.instance.lifecycleState;
  final isInFront =
      state == null || state == AppLifecycleState.resumed || state == AppLifecycleState.inactive;
  if (!isInFront || !isOnStage || !box.attached || !box.hasSize) return _hidden;
  var whole = Offset.zero & box.size;
  var visible = whole;
  RenderObject child = box;
  for (var parent = box.parent; parent != null && parent is! RenderView; parent = parent.parent) {
    if (_hides(parent)) return _hidden;
    final transform = Matrix4.identity();
    parent.applyPaintTransform(child, transform);
    whole = MatrixUtils.transformRect(transform, whole);
    visible = MatrixUtils.transformRect(transform, visible);
    final clip = parent.describeApproximatePaintClip(child);
    if (clip != null) visible = visible.intersect(clip);
    child = parent;
  }
  final view = View.of(context);
  visible = visible.intersect(Offset.zero & view.physicalSize / view.devicePixelRatio);
  final area = box.size.width * box.size.height;
  return (ratio: min(1, _area(visible) / max(_area(whole), 1)), area: area, isInFront: true);
}

bool _hides(RenderObject parent) => switch (parent) {
  RenderOffstage(:final offstage) => offstage,
  RenderOpacity(:final opacity) => opacity < _minOpacity,
  RenderAnimatedOpacity(:final opacity) => opacity.value < _minOpacity,
  _ => false,
};

/// A rectangle that was clipped away has a negative width or height.
double _area(Rect rect) => max(0, rect.width) * max(0, rect.height);
