// Flutter's names and signatures, as far as this package uses them, so that a Dart compiler without
// Flutter checks its widgets. Nothing here does anything.

import 'dart:async';
import 'dart:typed_data';

Never _stub() => throw UnsupportedError('This is a stub.');

// dart:ui

enum AppLifecycleState { detached, resumed, inactive, hidden, paused }

enum Brightness { dark, light }

class Color {
  const Color(this.value);
  final int value;
}

class Offset {
  const Offset(this.dx, this.dy);
  static const Offset zero = Offset(0, 0);
  final double dx;
  final double dy;
  Rect operator &(Size other) => _stub();
}

class Size {
  const Size(this.width, this.height);
  final double width;
  final double height;
  Size operator /(double operand) => _stub();
}

class Rect {
  double get width => _stub();
  double get height => _stub();
  Rect intersect(Rect other) => _stub();
}

class FontWeight {
  const FontWeight._();
  static const FontWeight normal = FontWeight._();
  static const FontWeight bold = FontWeight._();
}

class Locale {
  String get languageCode => _stub();
}

class FlutterView {
  Size get physicalSize => _stub();
  double get devicePixelRatio => _stub();
}

// foundation

abstract class Key {
  const Key();
}

typedef VoidCallback = void Function();

abstract class Listenable {
  const Listenable();
}

abstract class ValueListenable<T> extends Listenable {
  const ValueListenable();
  T get value;
}

class ValueNotifier<T> implements ValueListenable<T> {
  ValueNotifier(this.value);
  @override
  T value;
  void dispose() => _stub();
}

// painting

class Alignment {
  const Alignment(this.x, this.y);
  static const Alignment centerLeft = Alignment(-1, 0);
  final double x;
  final double y;
}

enum BoxFit { fill, contain, cover }

class EdgeInsets {
  const EdgeInsets.all(double value);
  const EdgeInsets.only({double left = 0, double top = 0, double right = 0, double bottom = 0});
  const EdgeInsets.symmetric({double vertical = 0, double horizontal = 0});
}

class BoxConstraints {
  const BoxConstraints({
    this.minWidth = 0,
    this.maxWidth = double.infinity,
    this.minHeight = 0,
    this.maxHeight = double.infinity,
  });
  final double minWidth;
  final double maxWidth;
  final double minHeight;
  final double maxHeight;
}

class TextStyle {
  const TextStyle({this.color, this.fontSize, this.fontWeight, this.fontFamily});
  final Color? color;
  final double? fontSize;
  final FontWeight? fontWeight;
  final String? fontFamily;
}

abstract class ImageProvider<T extends Object> {
  const ImageProvider();
}

class MemoryImage extends ImageProvider<MemoryImage> {
  const MemoryImage(this.bytes, {this.scale = 1});
  final Uint8List bytes;
  final double scale;
}

class ResizeImageKey {}

enum ResizeImagePolicy { exact, fit }

class ResizeImage extends ImageProvider<ResizeImageKey> {
  const ResizeImage(
    this.imageProvider, {
    this.width,
    this.height,
    this.policy = ResizeImagePolicy.exact,
    this.allowUpscaling = false,
  });
  final ImageProvider<Object> imageProvider;
  final int? width;
  final int? height;
  final ResizeImagePolicy policy;
  final bool allowUpscaling;
}

typedef ImageErrorListener = void Function(Object exception, StackTrace? stackTrace);

// vector_math

class Matrix4 {
  factory Matrix4.identity() => _stub();
}

abstract final class MatrixUtils {
  static Rect transformRect(Matrix4 transform, Rect rect) => _stub();
}

// rendering

abstract class RenderObject {
  RenderObject? get parent => _stub();
  bool get attached => _stub();
  void applyPaintTransform(covariant RenderObject child, Matrix4 transform) => _stub();
  Rect? describeApproximatePaintClip(covariant RenderObject child) => _stub();
}

abstract class RenderBox extends RenderObject {
  Size get size => _stub();
  bool get hasSize => _stub();
}

class RenderView extends RenderObject {}

class RenderOffstage extends RenderBox {
  bool get offstage => _stub();
}

class RenderOpacity extends RenderBox {
  double get opacity => _stub();
}

abstract class Animation<T> implements ValueListenable<T> {
  const Animation();
}

class RenderAnimatedOpacity extends RenderBox {
  Animation<double> get opacity => _stub();
}

enum HitTestBehavior { deferToChild, opaque, translucent }

enum CrossAxisAlignment { start, end, center, stretch, baseline }

enum MainAxisSize { min, max }

class MouseCursor {
  const MouseCursor();
}

abstract final class SystemMouseCursors {
  static const MouseCursor click = MouseCursor();
}

// gestures

class TapDownDetails {}

class TapUpDetails {}

class PointerUpEvent {}

// widgets

abstract class Widget {
  const Widget({this.key});
  final Key? key;
}

abstract class BuildContext {
  bool get mounted;
  RenderObject? findRenderObject();
}

abstract class StatelessWidget extends Widget {
  const StatelessWidget({super.key});
  Widget build(BuildContext context);
}

abstract class StatefulWidget extends Widget {
  const StatefulWidget({super.key});
  State createState();
}

abstract class State<T extends StatefulWidget> {
  T get widget => _stub();
  BuildContext get context => _stub();
  bool get mounted => _stub();
  void initState() {}
  void didUpdateWidget(covariant T oldWidget) {}
  void setState(VoidCallback fn) {}
  void deactivate() {}
  void activate() {}
  void dispose() {}
  void didChangeDependencies() {}
  Widget build(BuildContext context);
}

class GlobalKey<T extends State<StatefulWidget>> extends Key {
  factory GlobalKey() => _stub();
  BuildContext? get currentContext => _stub();
}

abstract mixin class WidgetsBindingObserver {
  void didChangeAppLifecycleState(AppLifecycleState state) {}
}

mixin WidgetsBinding {
  static WidgetsBinding get instance => _stub();
  AppLifecycleState? get lifecycleState => _stub();
  void addObserver(WidgetsBindingObserver observer) => _stub();
  bool removeObserver(WidgetsBindingObserver observer) => _stub();
  void addPostFrameCallback(void Function(Duration timeStamp) callback) => _stub();
}

class View extends Widget {
  static FlutterView of(BuildContext context) => _stub();
}

class MediaQuery extends Widget {
  static Brightness platformBrightnessOf(BuildContext context) => _stub();
}

class Localizations extends Widget {
  static Locale? maybeLocaleOf(BuildContext context) => _stub();
}

class TickerMode extends Widget {
  static bool of(BuildContext context) => _stub();
}

class DefaultTextStyle extends Widget {
  TextStyle get style => _stub();
  static DefaultTextStyle of(BuildContext context) => _stub();
}

class Text extends StatelessWidget {
  const Text(String data, {super.key, TextStyle? style});
  @override
  Widget build(BuildContext context) => _stub();
}

class Image extends Widget {
  const Image({
    super.key,
    required ImageProvider<Object> image,
    Widget Function(BuildContext context, Object error, StackTrace? stackTrace)? errorBuilder,
    bool excludeFromSemantics = false,
    double? width,
    double? height,
    BoxFit? fit,
    bool gaplessPlayback = false,
  });
}

Future<void> precacheImage(
  ImageProvider<Object> provider,
  BuildContext context, {
  Size? size,
  ImageErrorListener? onError,
}) => _stub();

class Semantics extends Widget {
  Semantics({
    super.key,
    Widget? child,
    bool container = false,
    bool excludeSemantics = false,
    bool? button,
    bool? link,
    bool? image,
    String? label,
    VoidCallback? onTap,
  });
}

class ExcludeSemantics extends Widget {
  const ExcludeSemantics({super.key, bool excluding = true, Widget? child});
}

class GestureDetector extends Widget {
  GestureDetector({
    super.key,
    Widget? child,
    void Function(TapDownDetails details)? onTapDown,
    void Function(TapUpDetails details)? onTapUp,
    VoidCallback? onTap,
    VoidCallback? onTapCancel,
    HitTestBehavior? behavior,
    bool excludeFromSemantics = false,
  });
}

class Listener extends Widget {
  const Listener({super.key, void Function(PointerUpEvent event)? onPointerUp, Widget? child});
}

abstract class Intent {
  const Intent();
}

class ActivateIntent extends Intent {
  const ActivateIntent();
}

abstract class Action<T extends Intent> {
  Object? invoke(covariant T intent);
}

class CallbackAction<T extends Intent> extends Action<T> {
  CallbackAction({required this.onInvoke});
  final Object? Function(T intent) onInvoke;
  @override
  Object? invoke(T intent) => onInvoke(intent);
}

class FocusableActionDetector extends StatefulWidget {
  const FocusableActionDetector({
    super.key,
    bool enabled = true,
    Map<Type, Action<Intent>>? actions,
    void Function(bool value)? onShowFocusHighlight,
    void Function(bool value)? onFocusChange,
    MouseCursor mouseCursor = const MouseCursor(),
    required Widget child,
  });
  @override
  State<FocusableActionDetector> createState() => _stub();
}

class IgnorePointer extends Widget {
  const IgnorePointer({super.key, bool ignoring = true, Widget? child});
}

class AbsorbPointer extends Widget {
  const AbsorbPointer({super.key, bool absorbing = true, Widget? child});
}

class ColoredBox extends Widget {
  const ColoredBox({required Color color, Widget? child, super.key});
}

class Padding extends Widget {
  const Padding({super.key, required EdgeInsets padding, Widget? child});
}

class Center extends Widget {
  const Center({super.key, double? widthFactor, double? heightFactor, Widget? child});
}

class AspectRatio extends Widget {
  const AspectRatio({super.key, required double aspectRatio, Widget? child});
}

class ConstrainedBox extends Widget {
  ConstrainedBox({super.key, required BoxConstraints constraints, Widget? child});
}

class SizedBox extends Widget {
  const SizedBox({super.key, double? width, double? height, Widget? child});
  const SizedBox.shrink({super.key, Widget? child});
}

class Offstage extends Widget {
  const Offstage({super.key, bool offstage = true, Widget? child});
}

class Positioned extends Widget {
  const Positioned({
    super.key,
    double? left,
    double? top,
    double? right,
    double? bottom,
    required Widget child,
  });
}

class Stack extends Widget {
  const Stack({super.key, List<Widget> children = const <Widget>[]});
}

class Expanded extends Widget {
  const Expanded({super.key, int flex = 1, required Widget child});
}

class Row extends Widget {
  const Row({
    super.key,
    MainAxisSize mainAxisSize = MainAxisSize.max,
    CrossAxisAlignment crossAxisAlignment = CrossAxisAlignment.center,
    List<Widget> children = const <Widget>[],
  });
}

class Column extends Widget {
  const Column({
    super.key,
    MainAxisSize mainAxisSize = MainAxisSize.max,
    CrossAxisAlignment crossAxisAlignment = CrossAxisAlignment.center,
    List<Widget> children = const <Widget>[],
  });
}

class Container extends StatelessWidget {
  Container({
    super.key,
    Alignment? alignment,
    EdgeInsets? padding,
    BoxConstraints? constraints,
    Widget? child,
  });
  @override
  Widget build(BuildContext context) => _stub();
}

class KeyedSubtree extends StatelessWidget {
  const KeyedSubtree({super.key, required Widget child});
  @override
  Widget build(BuildContext context) => _stub();
}

class ValueListenableBuilder<T> extends StatefulWidget {
  const ValueListenableBuilder({
    super.key,
    required ValueListenable<T> valueListenable,
    required Widget Function(BuildContext context, T value, Widget? child) builder,
    Widget? child,
  });
  @override
  State<ValueListenableBuilder<T>> createState() => _stub();
}

void debugPrint(String? message, {int? wrapWidth}) => _stub();

void runApp(Widget app) => _stub();
